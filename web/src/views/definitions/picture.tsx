// The graph of a definition, to look at: the same layout as a chain's.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { post } from '../../api';
import { plain } from '../../format';
import type { Layout, Point } from '../../graph/layout';
import { requestLayout } from '../../graph/layout_client';
import { shownGraph } from '../../graph/model';
import type { Graph } from '../../types';

const line = (points: Point[]) => points.map((point, index) => `${index === 0 ? 'M' : 'L'}${point.x.toFixed(1)} ${point.y.toFixed(1)}`).join('');

const kinds: Record<string, string> = { fan_out: 'for each', loop: 'loop', parallel: 'branches', child: 'chain' };

export function Picture({ fileName, text }: { fileName: string; text: string }) {
  const [graph, setGraph] = useState<Graph | undefined>(undefined);
  useEffect(() => {
    const abort = new AbortController();
    void post<Graph>('/v1/definitions:graph', { file_name: fileName, text }, { signal: abort.signal }).then((answer) => {
      if (!abort.signal.aborted) setGraph(answer.ok ? answer.value : undefined);
    });
    return () => abort.abort();
  }, [text]);
  const shown = useMemo(() => (graph && graph.nodes.length > 0 ? shownGraph(graph, new Set(), new Set()) : undefined), [graph]);
  const [layout, setLayout] = useState<{ of: typeof shown; made: Layout } | undefined>(undefined);
  useEffect(() => {
    let current = true;
    if (shown) requestLayout({ root: shown.root, direction: 'LR' }).then((made) => current && setLayout({ of: shown, made }), () => undefined);
    return () => {
      current = false;
    };
  }, [shown]);
  if (!layout?.of || layout.of !== shown) return null;
  const { made } = layout;
  const nodes = new Map(layout.of.nodes.map((node) => [node.id, node]));
  return (
    <section class="definition-part">
      <h2>Steps</h2>
      <div class="definition-picture" role="region" aria-label="Graph of the steps" tabIndex={0}>
        <svg width={made.width} height={made.height} role="img" aria-label={`${graph!.nodes.length} steps: ${plain(graph!.nodes.map((node) => node.id).join(', '), 400)}`}>
          {[...made.edges].map(([key, points]) => (
            <path key={key} class="definition-edge" d={line(points)} />
          ))}
          {[...made.boxes].map(([id, box]) => {
            const node = nodes.get(id);
            const label = node?.node?.label ?? (node?.members ? `${node.members.length} steps` : id);
            const about = [node?.node ? kinds[node.node.kind] : undefined, node?.node?.calls].filter(Boolean).join(' · ');
            return (
              <g key={id} transform={`translate(${box.x} ${box.y})`}>
                <rect class={node?.open ? 'definition-block' : 'definition-node'} width={box.width} height={box.height} rx="7" />
                <text class="definition-name" x="12" y="19">{plain(label, 26)}</text>
                {about !== '' && <text class="definition-about" x="12" y="35">{plain(about, 30)}</text>}
              </g>
            );
          })}
        </svg>
      </div>
    </section>
  );
}
