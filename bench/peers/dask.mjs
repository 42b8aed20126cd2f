import {join} from "node:path";
import {printed} from "./common.mjs";

export const name = "Dask";
export const settings = "two worker processes; nothing is durable: a killed scheduler loses the run";
const python = (home) => ({env: {...process.env, PYTHONPATH: join(home, "root/usr/lib/python3/dist-packages"), PYTHONWARNINGS: "ignore"}});
export const versions = (home) => `Dask ${printed("/usr/bin/python3", ["-c", "import distributed; print(distributed.__version__)"], python(home))}`;
export const begin = async (home) => ({home});
export const end = async () => {};
const run = async (peer, ...words) => Number(printed("/usr/bin/python3", [join(import.meta.dirname, "dask_bench.py"), ...words.map(String)], {...python(peer.home), stdio: ["ignore", "pipe", "ignore"]}));
export const cases = {
  fanOut: (peer, count) => run(peer, "fanOut", count),
  processes: (peer, count, program) => run(peer, "processes", count, program),
};
