// The same page over the answers that `catena report --html` has put into the file: no requests, no actions, no feed.
import { render } from 'preact';
import { openReport, type Report } from './api';
import { tick } from './clock';
import { listenToKeys } from './keys';
import { go, href } from './router';
import { Shell } from './shell';
import { applyTheme } from './theme';
import './style/theme.css';
import './style/parts.css';
import './style/views.css';
import './style/items.css';

const held = JSON.parse(document.getElementById('catena-report')!.textContent!) as Report;
openReport(held);
if (location.hash === '') go(href(['chains', held.chain_id]), { replace: true });
applyTheme();
tick();
listenToKeys();
render(<Shell />, document.getElementById('app')!);
