"""consolidator: learns facts from finished conversations.

Consumes MEMORY (sessions, and the positions of their turns). Sends `save_facts` and `fail_consolidation`. Owns
`consolidator/`: which sessions are pending; no text. Safe to replay: yes; a session is learned from again only if the log does
not say that it was consolidated, and then under the same run id, so that ingest records it once.
"""
