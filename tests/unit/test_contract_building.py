"""A contract is built when it is first needed, and no start waits for those that nobody uses; any thread may be the first."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from pydantic import create_model

from shared.contracts.contract import Contract

_THREADS = 8


def test_threads_that_need_a_contract_at_the_same_time_all_get_it() -> None:
    with ThreadPoolExecutor(_THREADS) as threads:
        for number in range(25):
            part = create_model(f"Part{number}", __base__=Contract, text=(str, ...))
            whole = create_model(f"Whole{number}", __base__=Contract, parts=(tuple[part, ...], ...))
            assert not whole.__pydantic_complete__
            barrier, document = Barrier(_THREADS), '{"parts":[{"text":"tea"}]}'

            def read_back(_: int, *, of: type[Contract] = whole, barrier: Barrier = barrier, document: str = document) -> str:
                barrier.wait(timeout=30)
                return of.model_validate_json(document).model_dump_json()

            assert set(threads.map(read_back, range(_THREADS))) == {document}
