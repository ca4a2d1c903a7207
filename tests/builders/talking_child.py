"""Stands for a process of the program: does what the job that it is given says."""

import json
import os
import sys


def main() -> None:
    for line in sys.stdin:
        said = line.strip()
        if said == "cancel":
            print(json.dumps({"cancelled": True}), flush=True)
            continue
        message = json.loads(said)
        if "answer" in message:
            print(json.dumps({"result": {"heard": message["content"], "process": os.getpid()}}), flush=True)
            continue
        assert message["kept"] is True
        wish = message["parameters"]
        if wish.get("crash"):
            os._exit(3)
        if wish.get("ask"):
            print(json.dumps({"ask": 1, "question": wish["ask"]}), flush=True)
        else:
            print(json.dumps({"result": {"process": os.getpid(), **wish}}), flush=True)


if __name__ == "__main__":
    main()
