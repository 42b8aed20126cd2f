// One chain: what it is, what can be done to it, and its tabs. The step that is looked at stands in the address, and beside each tab.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { acts, formActs } from '../actions';
import { useCommands } from '../keys';
import { count } from '../format';
import { go, href, route, setQuery } from '../router';
import { usePageTitle } from '../shell';
import type { ViewProps } from '../views';
import { Lazy } from '../ui/lazy';
import { Loading, Nothing, ProblemBox } from '../ui/problem';
import { Tabs } from '../ui/tabs';
import { Text } from '../ui/text';
import { ChainDialogs, type DialogName } from './chain/dialogs';
import { ChainHead } from './chain/head';
import { StepPanel } from './chain/step_panel';
import { chainStore } from './chain/store';
import { chainTabs } from './chain/tabs';

export default function ChainView({ parameters }: ViewProps) {
  const id = parameters.id!;
  const store = useMemo(() => chainStore(id), [id]);
  useEffect(() => store.open(), [store]);
  usePageTitle(id.slice(0, 80));
  const [dialog, setDialog] = useState<DialogName | undefined>(undefined);

  const tabs = chainTabs.filter((tab) => tab.shown?.(store) ?? true);
  const tab = tabs.find((one) => one.id === parameters.tab) ?? tabs[0]!;
  const step = route.value.query.get('step') ?? undefined;
  const chain = store.chain.value;
  const status = chain?.status ?? '';
  const to = (tabId: string) => href(['chains', id, tabId], { step });
  const failedSteps = store.steps.value.filter((one) => one.status === 'failed').length;

  useCommands(
    [
      ...tabs.map((one) => ({ keys: [one.keys], title: `Show ${one.label.toLowerCase()}`, group: 'Chain', run: () => go(to(one.id)) })),
      { keys: ['Escape'], title: 'Close the step', group: 'Chain', quiet: true, disabled: step === undefined, run: () => setQuery({ step: undefined }) },
      ...(__REPORT__
        ? []
        : [
            { keys: ['u'], title: 'Back to all chains', group: 'Chain', run: () => go('#/chains') },
            ...acts.map((one) => ({ keys: one.key === undefined ? undefined : [one.key], title: `${one.label} this chain`, group: 'Chain', disabled: !one.may(status), run: () => setDialog(one.id) })),
            ...formActs.map((one) => ({ keys: one.key === undefined ? undefined : [one.key], title: one.title, group: 'Chain', disabled: !chain || !one.may(status, store.steps.value), run: () => setDialog(one.id) })),
          ]),
    ],
  );

  const problem = store.problem.value;
  if (store.removed.value) {
    return (
      <>
        <div class="view-head">
          <h1>
            <Text most={160}>{id}</Text>
          </h1>
        </div>
        <Nothing title="This chain was removed">
          <a href="#/chains">All chains</a>
        </Nothing>
      </>
    );
  }
  if (!chain) {
    return (
      <>
        <div class="view-head">
          <h1>
            <Text most={160}>{id}</Text>
          </h1>
        </div>
        {problem ? <ProblemBox problem={problem} retry={() => store.refresh()} /> : <Loading what="the chain" />}
      </>
    );
  }
  return (
    <>
      <ChainHead store={store} open={setDialog} />
      {problem && <ProblemBox problem={problem} retry={() => store.refresh()} />}
      <Tabs
        label="Of this chain"
        current={tab.id}
        panelId="chain-panel"
        tabs={tabs.map((one) => ({
          id: one.id,
          label: one.label,
          href: to(one.id),
          count: one.id === 'steps' ? (failedSteps > 0 ? `${count(failedSteps)} failed` : count(store.steps.value.length)) : undefined,
        }))}
      />
      <div class={`split${step === undefined ? '' : ' split-open'}`}>
        <section class="panel" id="chain-panel" role="tabpanel" aria-labelledby={`tab-${tab.id}`} tabIndex={-1}>
          <Lazy key={`${id}/${tab.id}`} load={tab.load} what={tab.label.toLowerCase()} store={store} />
        </section>
        {step !== undefined && <StepPanel key={step} store={store} step={step} open={setDialog} />}
      </div>
      {!__REPORT__ && dialog && <ChainDialogs name={dialog} store={store} step={step} close={() => setDialog(undefined)} />}
    </>
  );
}
