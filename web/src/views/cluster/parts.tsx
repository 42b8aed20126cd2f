// Small pictures of the cluster: a number with its line, and a bar of what is taken.
import type { ComponentChildren } from 'preact';

export function Line({ values, most, label }: { values: readonly number[]; most?: number; label: string }) {
  const width = 150;
  const height = 34;
  const top = Math.max(most ?? 0, ...values, 1e-9);
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  const points = values.map((value, index) => `${(index * step).toFixed(1)} ${(height - 2 - (value / top) * (height - 4)).toFixed(1)}`);
  return (
    <svg class="spark" height={height} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
      {values.length > 1 && (
        <>
          <path class="spark-area" d={`M0 ${height}L${points.join('L')}L${width} ${height}Z`} />
          <path class="spark-line" d={`M${points.join('L')}`} />
        </>
      )}
    </svg>
  );
}

export function Figure({ label, value, about, children }: { label: string; value: ComponentChildren; about?: ComponentChildren; children?: ComponentChildren }) {
  return (
    <div class="figure">
      <dt>{label}</dt>
      <dd>
        <span class="figure-value number">{value}</span>
        {about !== undefined && <span class="dim figure-about">{about}</span>}
        {children}
      </dd>
    </div>
  );
}

export function Bar({ part, of, tone, width = 90 }: { part: number; of: number; tone: 'ok' | 'busy' | 'warn' | 'bad'; width?: number }) {
  const share = of <= 0 ? 0 : Math.min(1, part / of);
  return (
    <svg width={width} height="6" class={`tone-${tone}`} aria-hidden="true">
      <rect class="progress-ground" width={width} height="6" rx="3" />
      <rect class="progress-done" width={width * share} height="6" rx="3" />
    </svg>
  );
}
