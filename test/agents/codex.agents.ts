import { describeStartedAgain } from './again-suite.ts';
import { describeDenied } from './deny-suite.ts';
import { describeHeadless } from './headless-suite.ts';
import { describeStopped } from './stopped-suite.ts';
import { REAL_TOOLS } from './support/real-tools.ts';
import { describeTool } from './tool-suite.ts';
import { describeWakes } from './wake-suite.ts';

describeTool(REAL_TOOLS.codex);
describeWakes(REAL_TOOLS.codex);
describeHeadless(REAL_TOOLS.codex);
describeDenied(REAL_TOOLS.codex);
describeStartedAgain(REAL_TOOLS.codex);
describeStopped(REAL_TOOLS.codex);
