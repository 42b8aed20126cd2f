// A status is a shape and a word, and a colour beside them: nobody has to tell green from red.
import { plain } from '../format';

/** How a status is drawn: the shape within a circle of radius 6, and the tone of the style sheet. */
interface Look {
  tone: 'ok' | 'bad' | 'busy' | 'wait' | 'idle' | 'warn';
  word: string;
  shape: 'check' | 'cross' | 'arc' | 'dots' | 'pause' | 'hand' | 'slash' | 'warning' | 'question' | 'dash' | 'bolt';
}

const looks: Record<string, Look> = {
  succeeded: { tone: 'ok', word: 'succeeded', shape: 'check' },
  completed: { tone: 'ok', word: 'completed', shape: 'check' },
  blocked: { tone: 'idle', word: 'blocked', shape: 'dots' },
  delivered: { tone: 'ok', word: 'delivered', shape: 'check' },
  given_up: { tone: 'bad', word: 'given up', shape: 'cross' },
  failed: { tone: 'bad', word: 'failed', shape: 'cross' },
  running: { tone: 'busy', word: 'running', shape: 'arc' },
  pending: { tone: 'idle', word: 'pending', shape: 'dots' },
  queued: { tone: 'idle', word: 'queued', shape: 'dots' },
  paused: { tone: 'warn', word: 'paused', shape: 'pause' },
  waiting: { tone: 'wait', word: 'waiting', shape: 'hand' },
  backoff: { tone: 'wait', word: 'backoff', shape: 'hand' },
  cancelled: { tone: 'idle', word: 'cancelled', shape: 'slash' },
  cancelling: { tone: 'warn', word: 'cancelling', shape: 'slash' },
  quarantined: { tone: 'warn', word: 'quarantined', shape: 'warning' },
  in_doubt: { tone: 'warn', word: 'in doubt', shape: 'question' },
  not_needed: { tone: 'idle', word: 'not needed', shape: 'dash' },
  skipped: { tone: 'idle', word: 'skipped', shape: 'dash' },
  lost: { tone: 'bad', word: 'lost', shape: 'bolt' },
  // schedules and their runs
  active: { tone: 'ok', word: 'active', shape: 'check' },
  refused: { tone: 'bad', word: 'refused', shape: 'cross' },
  // workers
  open: { tone: 'ok', word: 'open', shape: 'check' },
  ready: { tone: 'ok', word: 'ready', shape: 'check' },
  cordoned: { tone: 'warn', word: 'cordoned', shape: 'pause' },
  draining: { tone: 'warn', word: 'draining', shape: 'hand' },
  drained: { tone: 'idle', word: 'drained', shape: 'dash' },
  suspect: { tone: 'warn', word: 'suspect', shape: 'question' },
};

export function lookOf(status: string): Look {
  return looks[status] ?? { tone: 'idle', word: status.replaceAll('_', ' '), shape: 'dots' };
}

/** Lines within 16 by 16; the graph draws them alone where it is small. */
const lines = {
  check: 'M5 8.3l2.1 2.1L11.2 6',
  cross: 'M5.6 5.6l4.8 4.8M10.4 5.6l-4.8 4.8',
  pause: 'M6.3 5.5v5M9.7 5.5v5',
  hand: 'M8 4.8V8l2.2 1.4',
  slash: 'M4.6 11.4l6.8-6.8',
  question: 'M6.3 6.3a1.7 1.7 0 1 1 2.4 1.6c-.5.2-.7.5-.7 1M8 11.1v.1',
  dash: 'M5.3 8h5.4',
  bolt: 'M8.8 4.3 6.3 8.4h3.3L7.2 11.8',
  warning: 'M8 6.2v3.6M8 11.9v.1M8 2 14.8 13.8H1.2z',
  arc: 'M8 2.5a5.5 5.5 0 0 1 5.5 5.5M8 5.5a2.5 2.5 0 0 1 2.5 2.5',
  dots: 'M4.5 8h.1M8 8h.1M11.5 8h.1',
} as const;

export const markLine = (status: string): string => lines[lookOf(status).shape];

/** The mark alone; `title` says the status to those who do not see it, and is left out where the word stands beside it. */
export function Mark({ status, size = 16, title }: { status: string; size?: number; title?: string }) {
  const { tone, shape, word } = lookOf(status);
  const hidden = title === undefined ? { 'aria-hidden': true as const } : { role: 'img' as const, 'aria-label': title || word };
  return (
    <svg class={`mark tone-${tone} mark-${shape}`} width={size} height={size} viewBox="0 0 16 16" focusable="false" {...hidden}>
      {shape === 'warning' ? (
        <>
          <path class="mark-fill" d="M8 1.8 15 14H1z" />
          <path class="mark-line" d="M8 6.2v3.6M8 11.9v.1" />
        </>
      ) : shape === 'arc' ? (
        <>
          <circle class="mark-track" cx="8" cy="8" r="5.5" />
          <path class="mark-arc" d="M8 2.5a5.5 5.5 0 0 1 5.5 5.5" />
        </>
      ) : shape === 'dots' ? (
        <circle class="mark-dots" cx="8" cy="8" r="5.5" />
      ) : (
        <>
          {tone === 'ok' || tone === 'bad' ? <circle class="mark-fill" cx="8" cy="8" r="6.5" /> : <circle class="mark-ring" cx="8" cy="8" r="5.8" />}
          <path class="mark-line" d={lines[shape]} />
        </>
      )}
    </svg>
  );
}

export function Status({ status, strong }: { status: string; strong?: boolean }) {
  const look = lookOf(status);
  return (
    <span class={`status tone-${look.tone}${strong ? ' status-strong' : ''}`}>
      <Mark status={status} />
      <span class="status-word">{plain(look.word, 40)}</span>
    </span>
  );
}
