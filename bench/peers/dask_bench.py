"""Runs one case with Dask's distributed scheduler: dask_bench.py CASE COUNT [PROGRAM]; prints the seconds that it took."""
import subprocess
import sys
import time

from distributed import Client, LocalCluster


def step(value):
    return value + 1


def process(item, program):
    return len(subprocess.run([program, str(item)], stdout=subprocess.PIPE, check=True).stdout)


def main():
    case, count = sys.argv[1], int(sys.argv[2])
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster) as client:
        client.gather(client.map(step, range(10), pure=False))
        begin = time.perf_counter()
        if case == "fanOut":
            client.gather(client.map(step, range(count), pure=False))
        else:
            client.gather(client.map(process, range(count), program=sys.argv[3], pure=False))
        print(time.perf_counter() - begin)


if __name__ == "__main__":
    main()
