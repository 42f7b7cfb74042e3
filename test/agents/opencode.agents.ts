import { describeStartedAgain } from './again-suite.ts';
import { describeDenied } from './deny-suite.ts';
import { describeHeadless } from './headless-suite.ts';
import { REAL_TOOLS } from './support/real-tools.ts';
import { describeTool } from './tool-suite.ts';
import { describeWakes } from './wake-suite.ts';

describeTool(REAL_TOOLS.opencode);
describeWakes(REAL_TOOLS.opencode);
describeHeadless(REAL_TOOLS.opencode);
describeDenied(REAL_TOOLS.opencode);
describeStartedAgain(REAL_TOOLS.opencode);
