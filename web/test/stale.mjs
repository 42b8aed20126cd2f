// Whether dist was built from the sources as they are; needs nothing but node.
import { readFileSync } from 'node:fs';
import { sourcesHash } from '../build.mjs';

const held = readFileSync(new URL('../dist/SOURCES', import.meta.url), 'utf8').trim();
if (held !== sourcesHash()) {
  console.error('web/dist is not made from the sources as they are: run make web');
  process.exit(1);
}
