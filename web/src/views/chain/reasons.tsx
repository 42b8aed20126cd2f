// Why something does not move, reason by reason, each with a link to what it is about.
import { href } from '../../router';
import type { ExplainReason, Json } from '../../types';
import { JsonView } from '../../ui/json';
import { count } from '../../format';
import { Text } from '../../ui/text';
import { Age } from '../../ui/time';
import type { ChainStore } from './store';

/** What the message does not say already: names, a number, a person, a text, and what an error has beyond its words. */
function Details({ reason: { message, details } }: { reason: ExplainReason }) {
  if (!details) return null;
  const { names = [], count: number, by, text, error } = details;
  const says = (words: string) => message.includes(words);
  const facts: [string, string][] = [];
  const unnamed = names.filter((name) => !says(name));
  if (unnamed.length > 0) facts.push(['names', unnamed.join(', ')]);
  // "a, b and 3 more" and "chain x and 4 more" are numbers, too
  const told = new Set(message.match(/\d+/g)?.map(Number));
  if (number !== undefined && number > Math.max(1, names.length) && ![0, 1, names.length].some((less) => told.has(number - less))) facts.push(['number', count(number)]);
  if (by !== undefined && !says(by)) facts.push(['by', by]);
  if (text !== undefined && !says(text)) facts.push(['about', text]);
  const more = { ...(error?.details === undefined ? {} : { details: error.details }), ...(error?.cause === undefined ? {} : { cause: error.cause as unknown as Json }) };
  return (
    <>
      {facts.length > 0 && (
        <p class="reason-links">
          {facts.map(([name, value]) => (
            <span key={name}>
              <span class="dim">{name}</span> <Text most={400}>{value}</Text>
            </span>
          ))}
        </p>
      )}
      {error && !says(error.message) && (
        <p class="tone-bad about-error">
          <Text most={400}>{`${error.code}: ${error.message}`}</Text>
        </p>
      )}
      {Object.keys(more).length > 0 && <JsonView value={more} label="the error" openTo={2} />}
    </>
  );
}

export function Reasons({ store, reasons }: { store: ChainStore; reasons: readonly ExplainReason[] }) {
  return (
    <ul class="reasons">
      {reasons.slice(0, 200).map((reason, index) => (
        <li key={index}>
          <p>
            <Text most={600}>{reason.message}</Text>
          </p>
          <p class="reason-links">
            <code class="code">{reason.code}</code>
            {reason.step !== undefined && (
              <a href={href(['chains', store.id, 'why'], { step: reason.step })}>
                step <Text most={60}>{reason.step}</Text>
                {reason.item !== undefined && ` item ${reason.item}`}
              </a>
            )}
            {reason.chain !== undefined && (
              <a href={href(['chains', reason.chain])}>
                chain <Text most={60}>{reason.chain}</Text>
              </a>
            )}
            {reason.worker !== undefined && (
              <a href={href(['cluster'], { worker: reason.worker })}>
                worker <Text most={60}>{reason.worker}</Text>
              </a>
            )}
            {reason.since !== undefined && !reason.message.includes(reason.since) && (
              <span class="dim">
                since <Age at={reason.since} />
              </span>
            )}
            {reason.until !== undefined && (
              <span class="dim">
                until <Age at={reason.until} />
              </span>
            )}
          </p>
          <Details reason={reason} />
        </li>
      ))}
    </ul>
  );
}
