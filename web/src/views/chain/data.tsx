// What went into the chain and what came out.
import { useEffect } from 'preact/hooks';
import { chainPath } from '../../api';
import { useAnswer } from '../../resource';
import type { Json } from '../../types';
import { JsonView } from '../../ui/json';
import { ErrorBox, Loading, Nothing, ProblemBox } from '../../ui/problem';
import type { TabProps } from './tabs';

function Value({ store, what, title, wanted }: TabProps & { what: string; title: string; wanted: boolean }) {
  const answer = useAnswer<Json>(wanted ? chainPath(store.id, `/${what}`) : undefined);
  useEffect(() => {
    if (wanted) answer.refresh();
  }, [store.chain.value?.status]);
  const value = answer.value.value;
  const problem = answer.problem.value;
  return (
    <section class="part">
      <h2>{title}</h2>
      {!wanted ? (
        <p class="dim">The chain has not answered.</p>
      ) : value !== undefined ? (
        <JsonView value={value} label={title.toLowerCase()} openTo={3} />
      ) : problem ? (
        problem.status === 404 ? <p class="dim">None.</p> : <ProblemBox problem={problem} />
      ) : (
        <Loading what={title.toLowerCase()} />
      )}
    </section>
  );
}

export default function Data({ store }: TabProps) {
  const chain = store.chain.value;
  if (!chain) return <Nothing title="Loading…" />;
  const answered = chain.response !== undefined || chain.response_bytes !== undefined;
  return (
    <div class="scroll">
      <Value store={store} what="arguments" title="Arguments" wanted />
      <Value store={store} what="response" title="Response" wanted={answered} />
      {chain.error && (
        <section class="part">
          <h2>Error</h2>
          <ErrorBox error={chain.error} />
        </section>
      )}
    </div>
  );
}
