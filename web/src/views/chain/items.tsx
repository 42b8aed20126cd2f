// The tab of fan-outs: which one stands in the address (`fan`), or is the step that is looked at.
import { useEffect } from 'preact/hooks';
import { route, setQuery } from '../../router';
import { Nothing } from '../../ui/problem';
import { ItemsView } from '../items/view';
import type { ChainStore } from './store';

export default function Items({ store }: { store: ChainStore }) {
  const steps = store.steps.value.filter((step) => step.items !== undefined);
  const query = route.value.query;
  const looked = query.get('step');
  const wanted = query.get('fan') ?? looked;
  const step = steps.find((one) => one.id === wanted) ?? steps.find((one) => one.status === 'failed') ?? steps.find((one) => one.status === 'running') ?? steps[0];
  useEffect(() => {
    // the map has a panel of its own beside it
    if (looked !== null) setQuery({ step: undefined, fan: steps.some((one) => one.id === looked) ? looked : (query.get('fan') ?? undefined) });
  }, [looked]);
  if (!step) return <Nothing title="No fan-out yet">A step that goes over a list shows its items here, once it begins.</Nothing>;
  return <ItemsView key={step.id} store={store} steps={steps} step={step} />;
}
