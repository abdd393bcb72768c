/** Entry point of the room page in the browser. */
import '../../shared/web/theme.css';
import './room.css';
import './stage.css';
import './controls.css';
import './panel.css';
import { startPage } from '../../shared/web/words/start-page.ts';

void startPage(() => import('./start.tsx'));
