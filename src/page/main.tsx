/**
 * Page: what people keep open all day. Runs in a browser; talks to the server it came from and to nobody else.
 *
 * Promises  Whatever agents wrote is shown as text. Nothing moves under a pointer. A stale picture says so.
 * Never     Decides what may be done: roles, dialogs and readiness are judged by the server at the instant of acting.
 * Errors    Are shown where they happened, in the server's words, until the next try.
 */
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { listenToHistory } from './model/router.ts';
import { followNewLinks } from './model/session.ts';
import { followOtherTabs } from './model/settings.ts';
import './page.css';

listenToHistory();
followNewLinks();
followOtherTabs();
createRoot(document.getElementById('page')!).render(<App />);
