/** Runs before the first paint, so that a page with its own theme does not flash in the system's. */
try {
  const chosen = JSON.parse(localStorage.getItem('rouse.settings') ?? '{}') as { theme?: string };
  if (chosen.theme === 'light' || chosen.theme === 'dark')
    document.documentElement.dataset['theme'] = chosen.theme;
} catch {
  // No storage, or invalid content: use the system's theme.
}
