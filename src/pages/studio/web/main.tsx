/** Entry point of the studio in the browser. */
import '../../shared/web/theme.css';
import './style.css';
import './parts.css';
import { startPage } from '../../shared/web/words/start-page.ts';

void startPage(() => import('./start.tsx'));
