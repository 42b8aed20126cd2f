import {join} from "node:path";
import {writeFileSync} from "node:fs";
import {executions, kProcesses, printed, program, seconds, start, stop, until} from "./common.mjs";

export const name = "GNU parallel";
export const settings = "--joblog, which is what it resumes from; it is not synced";
const script = (home) => ["/usr/bin/perl", program(home, "parallel")];
export const versions = (home) => printed("/usr/bin/perl", [program(home, "parallel"), "--version"]).split("\n")[0];
export const begin = async (home, dir) => ({home, dir});
export const end = async () => {};

async function run(peer, count, log, words) {
  const list = join(peer.dir, `items-${count}`);
  writeFileSync(list, Array.from({length: count}, (_, item) => `${item}\n`).join(""));
  const [perl, ...rest] = script(peer.home);
  return start(join(peer.dir, "out.log"), perl, [...rest, "-j", String(kProcesses), "--joblog", log, "--will-cite", ...words, "::::", list], {env: {...process.env, HOME: peer.dir}});
}
export const cases = {
  processes: (peer, count, path) => seconds(async () => (await run(peer, count, join(peer.dir, `joblog-${Date.now()}`), [path, "{}"])).ended),
};
export async function crash(peer, count, notes, tool) {
  const log = join(peer.dir, "joblog-crash");
  const took = await seconds(async () => {
    const first = await run(peer, count, log, [tool, notes, "{}"]);
    await until("half of the items", () => executions(notes).items >= count / 2);
    await stop(first, "SIGKILL");
    await (await run(peer, count, log, ["--resume", tool, notes, "{}"])).ended;
  });
  return {...executions(notes), seconds: took};
}
