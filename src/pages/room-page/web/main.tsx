/** Entry point of the room page in the browser. */
import '../../shared/web/theme.css';
import './room.css';
import './stage.css';
import './controls.css';
import './panel.css';
import { render } from 'preact';
import { App } from './app.tsx';

render(<App />, document.getElementById('app')!);
