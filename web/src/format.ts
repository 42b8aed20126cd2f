// Numbers and times in few characters, and text that cannot do anything to the page around it.

export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return '–';
  if (ms < 0) ms = 0;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} m ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${minutes % 60} m`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** "12 s ago", "in 3 m". */
export function age(at: number, now: number): string {
  const ms = now - at;
  const size = Math.abs(ms);
  if (size < 1500) return 'now';
  const text = size < 60_000 ? `${Math.floor(size / 1000)} s` : size < 3_600_000 ? `${Math.floor(size / 60_000)} m` : size < 86_400_000 ? `${Math.floor(size / 3_600_000)} h` : `${Math.floor(size / 86_400_000)} d`;
  return ms >= 0 ? `${text} ago` : `in ${text}`;
}

const pad = (value: number, width = 2) => String(value).padStart(width, '0');

/** Local time, to the millisecond where it is wanted. */
export function clock(at: number, parts: { date?: boolean; ms?: boolean } = {}): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return '–';
  const day = parts.date ? `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())} ` : '';
  return `${day}${pad(time.getHours())}:${pad(time.getMinutes())}:${pad(time.getSeconds())}${parts.ms ? `.${pad(time.getMilliseconds(), 3)}` : ''}`;
}

export function bytes(count: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (count >= 1024 && unit < units.length - 1) {
    count /= 1024;
    unit++;
  }
  return `${unit === 0 || count >= 100 ? Math.round(count) : count.toFixed(1)} ${units[unit]}`;
}

const grouped = new Intl.NumberFormat('en-US');
export const count = (value: number) => grouped.format(value);

export const plural = (value: number, one: string, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

/** Characters that turn the direction of what follows, are invisible, or do something to a terminal: shown by their numbers. */
export const strange = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;

export const shownStrange = (character: string) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

/** For titles and attributes, which have no markup. */
export function plain(text: string, most = 300): string {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return cut.replace(strange, (character) => `[${shownStrange(character)}]`);
}
