/** Runs before the first paint, so that a page in the other theme than the system's does not flash. */
try {
  const chosen = JSON.parse(localStorage.getItem('rouse.settings') ?? '{}') as { theme?: string };
  if (chosen.theme === 'light' || chosen.theme === 'dark')
    document.documentElement.dataset['theme'] = chosen.theme;
} catch {
  // No storage, or something else in it: the system's theme.
}
