"""The prompts for models. A published version is never edited, for facts name their version: add the next one."""
