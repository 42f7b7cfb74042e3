// Captures screens of the real command lines that are installed here, each labelled by what became of a pasted prompt.
import { loadSource } from './load-source.mjs';

const { captureScreens } = await loadSource('test/agents/screens/capture-screens.ts');
process.exitCode = await captureScreens(process.argv.slice(2));
