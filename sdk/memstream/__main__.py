"""`python -m memstream`, the same as the console script."""

from memstream.launcher import main

if __name__ == "__main__":
    main()
