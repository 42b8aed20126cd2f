import {chmodSync, chownSync, existsSync, readFileSync} from "node:fs";
import {join} from "node:path";
import {executions, folder, freePort, kProcesses, post, printed, seconds, secondsOfPosts, start, stop, until, versionOf} from "./common.mjs";

export const name = "DBOS";
export const settings = "PostgreSQL with its default settings (fsync on, synchronous_commit on); the application is a Node process";
const kNobody = 65534;

function binaries(home) {
  const own = join(home, "root/usr/lib/postgresql/15/bin");
  return existsSync(join(own, "postgres")) ? own : "/usr/lib/postgresql/15/bin";
}
export const versions = (home) => `DBOS ${versionOf(home, "@dbos-inc/dbos-sdk")}, ${printed(join(binaries(home), "postgres"), ["--version"]).replace("postgres (PostgreSQL)", "PostgreSQL")}`;

/// PostgreSQL does not run as root.
const person = process.getuid() === 0 ? {uid: kNobody, gid: kNobody} : {};
async function postgres(peer) {
  peer.database = start(join(peer.dir, "postgres.log"), join(binaries(peer.home), "postgres"), ["-D", peer.data, "-p", String(peer.database_port), "-h", "127.0.0.1", "-k", peer.data, "-c", "max_connections=100"], {cwd: peer.data, ...person});
  await until("PostgreSQL", () => printed(join(binaries(peer.home), "psql"), ["-h", "127.0.0.1", "-p", String(peer.database_port), "-U", "bench", "-d", "postgres", "-Atc", "select 1"], {stdio: ["ignore", "pipe", "ignore"]}) === "1");
}
async function application(peer) {
  const log = join(peer.dir, `app-${Date.now()}.log`);
  peer.app = start(log, process.execPath, [join(peer.home, "dbos_app.mjs"), `postgresql://bench@127.0.0.1:${peer.database_port}/bench`, String(peer.port)], {cwd: peer.home});
  await until("the application", () => readFileSync(log, "utf8").includes("The application listens."));
}
export async function begin(home, dir) {
  const peer = {home, dir, port: await freePort(), database_port: await freePort(), data: folder(dir, "data")};
  if (person.uid !== undefined) {
    chmodSync(dir, 0o755);
    chownSync(peer.data, kNobody, kNobody);
  }
  printed(join(binaries(home), "initdb"), ["-D", peer.data, "-U", "bench", "--auth=trust", "--locale=C.UTF-8"], {cwd: peer.data, stdio: ["ignore", "pipe", "ignore"], ...person});
  await postgres(peer);
  printed(join(binaries(home), "psql"), ["-h", "127.0.0.1", "-p", String(peer.database_port), "-U", "bench", "-d", "postgres", "-c", "create database bench"]);
  await application(peer);
  peer.call = (workflow, argument, id) => post(`http://127.0.0.1:${peer.port}/${workflow}`, {argument, id});
  return peer;
}
export async function end(peer) {
  await stop(peer.app, "SIGKILL");
  await stop(peer.database, "SIGINT");
}
export const cases = {
  sequence: (peer, count) => seconds(() => peer.call("sequence", count)),
  workflows: (peer, count) => secondsOfPosts(peer.home, `http://127.0.0.1:${peer.port}/three`, {argument: 1}, "4", count),
  fanOut: (peer, count) => seconds(() => peer.call("fanOut", count)),
  processes: (peer, count, program) => seconds(() => peer.call("processes", {count, width: kProcesses, program})),
};
/// There is no server to kill: the application is what runs the workflows.
export async function crash(peer, count, notes) {
  const argument = {count, width: kProcesses, notes};
  const took = await seconds(async () => {
    const first = peer.call("noted", argument, "crash").catch(() => null);
    await until("half of the items", () => executions(notes).items >= count / 2);
    await stop(peer.app, "SIGKILL");
    await first;
    await application(peer);
    await peer.call("noted", argument, "crash");
  });
  return {...executions(notes), seconds: took};
}
