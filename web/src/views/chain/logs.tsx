import { route, setQuery } from '../../router';
import { Text } from '../../ui/text';
import { LogList } from './log_list';
import type { TabProps } from './tabs';

export default function Logs({ store }: TabProps) {
  const step = route.value.query.get('step') ?? undefined;
  return (
    <>
      {step !== undefined && (
        <p class="filters filters-tab">
          <span>
            Only of step <strong><Text most={80}>{step}</Text></strong>{' '}
            <button type="button" class="link" onClick={() => setQuery({ step: undefined })}>
              Show all
            </button>
          </span>
        </p>
      )}
      <LogList store={store} step={step} />
    </>
  );
}
