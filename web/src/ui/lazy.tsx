// A part of the page that is loaded when it is first shown.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { problemOf } from '../api';
import { epoch } from '../live/live';
import { Loading, ProblemBox } from './problem';

const loaded = new Map<unknown, ComponentType<any>>();

export function Lazy<Props extends object>({ load, what, ...props }: { load: () => Promise<{ default: ComponentType<Props> }>; what: string } & Props) {
  const [, render] = useState(0);
  const [failed, setFailed] = useState(false);
  // the coordinator is there again: what could not be loaded may be
  const begun = epoch.value;
  useEffect(() => {
    if (loaded.has(load)) return;
    setFailed(false);
    load().then(
      (module) => {
        loaded.set(load, module.default);
        render((times) => times + 1);
      },
      () => setFailed(true),
    );
  }, [load, begun]);
  const Shown = loaded.get(load) as ComponentType<Props> | undefined;
  if (Shown) return <Shown {...(props as unknown as Props)} />;
  if (failed) return <ProblemBox problem={problemOf('unreachable', 'This view cannot be loaded', 'The coordinator cannot be reached, or was replaced by another version. Reload the page.')} retry={() => location.reload()} />;
  return <Loading what={what} />;
}
