/**
 * Page: what people keep open all day. Runs in a browser and talks only to the server it came from.
 *
 * Promises  Text of agents is shown as text. Nothing moves under the pointer. A page that is not live says so.
 * Never     Decides what is allowed: the server checks roles, dialogs and readiness at the moment of acting.
 * Errors    Are shown where they happened, in the server's words, until the next try.
 */
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { keepDraftsOnLeave } from './model/drafts.ts';
import { followPushes } from './model/push.ts';
import { listenToHistory } from './model/router.ts';
import { followNewLinks } from './model/session.ts';
import { followOtherTabs } from './model/settings.ts';
import './page.css';

listenToHistory();
followNewLinks();
followOtherTabs();
keepDraftsOnLeave();
followPushes();
createRoot(document.getElementById('page')!).render(<App />);
