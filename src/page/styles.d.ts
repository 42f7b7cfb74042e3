/** What the build makes of a style sheet is a file beside the script. */
declare module '*.css';
