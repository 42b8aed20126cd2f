import { render } from 'preact';
import { tick } from './clock';
import { listenToKeys } from './keys';
import { follow } from './live/live';
import { Shell } from './shell';
import { applyTheme } from './theme';
import './style/theme.css';
import './style/parts.css';
import './style/views.css';
import './style/items.css';
import './style/definitions.css';
import './style/cluster.css';
import './style/schedules.css';

applyTheme();
tick();
listenToKeys();
follow();
render(<Shell />, document.getElementById('app')!);
