"""Follows a space into two tables: `python follow.py shop knowledge.db`. Kill it and start it again whenever you like."""

import asyncio
import sys

from knowledge import Knowledge

from memstream import EventReader


async def main(space: str, path: str) -> None:
    """Read on from where the tables end, and then every event as it comes."""
    tables = Knowledge(path)
    async with EventReader(space=space) as log:
        async for event in log.follow(after=tables.position):
            if event.type in {"memory_forgotten", "forgetting_taken_back"}:
                tables.make_anew(event, [each async for each in log.replay(user=event.user, through=event.position)])
            else:
                tables.apply(event)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
