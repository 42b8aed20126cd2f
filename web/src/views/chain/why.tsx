// Why the chain does not move, or why it came to what it came to.
import { useEffect } from 'preact/hooks';
import { chainPath, pathOf } from '../../api';
import { useAnswer } from '../../resource';
import { route } from '../../router';
import type { ChainClusterPage, Explanation } from '../../types';
import { href } from '../../router';
import { count, plural } from '../../format';
import { Loading, Nothing, ProblemBox } from '../../ui/problem';
import { Text } from '../../ui/text';
import { Reasons } from './reasons';
import type { TabProps } from './tabs';

/** Failures that are alike stand once. */
function Failures({ store }: TabProps) {
  const answer = useAnswer<ChainClusterPage>(chainPath(store.id, '/clusters'));
  useEffect(() => answer.refresh(), [store.version.value]);
  const page = answer.value.value;
  if (!page || page.clusters.length === 0) return null;
  return (
    <section class="part">
      <h2>Failures, the most frequent first</h2>
      <ul class="reasons">
        {page.clusters.slice(0, 40).map((cluster, index) => (
          <li key={index}>
            <p class="tone-bad about-error">
              <Text most={400}>{cluster.error.message}</Text>
            </p>
            <p class="reason-links">
              <code class="code">{cluster.error.code}</code>
              <strong class="number">{plural(cluster.count, 'time')}</strong>
              {cluster.step !== undefined && (
                <a href={href(['chains', store.id, 'why'], { step: cluster.step })}>
                  step <Text most={60}>{cluster.step}</Text>
                </a>
              )}
              {cluster.sample && cluster.sample.length > 0 && <span class="dim">items {cluster.sample.slice(0, 8).map((item) => `#${count(item)}`).join(', ')}{cluster.count > 8 ? ', …' : ''}</span>}
            </p>
          </li>
        ))}
      </ul>
      {page.others > 0 && <p class="hint">and {plural(page.others, 'failure')} in smaller groups</p>}
    </section>
  );
}

export default function Why({ store }: TabProps) {
  const step = route.value.query.get('step') ?? undefined;
  const answer = useAnswer<Explanation>(pathOf(chainPath(store.id, '/explain'), { step: step !== undefined && store.byId.value.has(step) ? step : undefined }));
  useEffect(() => answer.refresh(), [store.version.value]);
  const problem = answer.problem.value;
  const explanation = answer.value.value;
  return (
    <div class="scroll">
      {explanation ? (
        explanation.reasons.length === 0 ? (
          <Nothing title="Nothing holds it up">{store.ended.value ? 'The chain has ended.' : 'What can run, runs.'}</Nothing>
        ) : (
          <section class="part">
            <h2>{step === undefined ? 'Why the chain is where it is' : <>Why step <Text most={80}>{step}</Text> is where it is</>}</h2>
            <Reasons store={store} reasons={explanation.reasons} />
          </section>
        )
      ) : problem ? (
        problem.status === 404 ? <Nothing title="This coordinator gives no reasons">The tabs Steps and Events say what happened.</Nothing> : <ProblemBox problem={problem} retry={() => answer.refresh()} />
      ) : (
        <Loading what="the reasons" />
      )}
      <Failures store={store} />
    </div>
  );
}
