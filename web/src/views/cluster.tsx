// The machines: workers and their load, why work waits, the store and its disk; what operators asked for, and what webhooks were told.
import { useCommands } from '../keys';
import { go, href } from '../router';
import { Tabs } from '../ui/tabs';
import type { ViewProps } from '../views';
import { Audit } from './cluster/audit';
import { Webhooks } from './cluster/webhooks';
import { Workers } from './cluster/workers';

const tabs = [
  { id: 'workers', label: 'Workers', Shown: Workers },
  { id: 'audit', label: 'Audit log', Shown: Audit },
  { id: 'webhooks', label: 'Webhooks', Shown: Webhooks },
] as const;

export default function Cluster({ parameters }: ViewProps) {
  const tab = tabs.find((one) => one.id === parameters.tab) ?? tabs[0];
  useCommands(
    tabs.map((one, index) => ({ keys: [String(index + 1)], title: `Show ${one.label.toLowerCase()}`, group: 'Cluster', run: () => go(href(['cluster', one.id])) })),
  );
  return (
    <>
      <div class="view-head">
        <h1>Cluster</h1>
      </div>
      <Tabs label="Of the cluster" current={tab.id} panelId="cluster-panel" tabs={tabs.map((one) => ({ id: one.id, label: one.label, href: href(['cluster', one.id]) }))} />
      <section class="panel" id="cluster-panel" role="tabpanel" aria-labelledby={`tab-${tab.id}`} tabIndex={-1}>
        <tab.Shown />
      </section>
    </>
  );
}
