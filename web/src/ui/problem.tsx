// What stands in place of content: a problem with what to do about it, nothing yet, nothing there.
import type { ComponentChildren } from 'preact';
import type { ChainError, Problem } from '../types';
import { Icon } from './icon';
import { LongText, Text } from './text';

export function ProblemBox({ problem, retry }: { problem: Problem; retry?(): void }) {
  return (
    <div class="problem" role="alert">
      <Icon name="cross" />
      <div>
        <strong>
          <Text>{problem.title}</Text>
        </strong>{' '}
        <code class="code">{problem.code}</code>
        {problem.detail && <LongText label="What went wrong" most={600}>{problem.detail}</LongText>}
        {problem.errors && problem.errors.length > 0 && (
          <ul>
            {problem.errors.slice(0, 20).map((finding, index) => (
              <li key={index}>
                {finding.pointer !== undefined && <><code><Text>{finding.pointer}</Text></code> </>}
                <Text most={500}>{finding.detail}</Text>
                {finding.suggestion !== undefined && <> Did you mean <code><Text>{finding.suggestion}</Text></code>?</>}
              </li>
            ))}
          </ul>
        )}
        {retry && (
          <button type="button" class="button button-small" onClick={retry}>
            Try again
          </button>
        )}
      </div>
    </div>
  );
}

/** An error of a chain, with its causes. */
export function ErrorBox({ error, label = 'Error' }: { error: ChainError; label?: string }) {
  const causes: ChainError[] = [];
  for (let at: ChainError | undefined = error; at && causes.length < 10; at = at.cause) causes.push(at);
  return (
    <div class="error-box">
      {causes.map((one, index) => (
        <div key={index} class="error-line">
          {index > 0 && <span class="dim">caused by </span>}
          <code class="code">{one.code}</code>
          <LongText label={index === 0 ? label : 'Cause'} most={1500}>{one.message}</LongText>
        </div>
      ))}
    </div>
  );
}

export const Loading = ({ what }: { what: string }) => (
  <p class="loading" role="status">
    Loading {what}…
  </p>
);

export const Nothing = ({ children, title }: { title: string; children?: ComponentChildren }) => (
  <div class="nothing">
    <p class="nothing-title">{title}</p>
    {children}
  </div>
);
