// Rules and format of the page's JavaScript. The scripts share one global name, mcts, and run in a browser as they are.
import stylistic from "@stylistic/eslint-plugin";

const style = stylistic.configs.customize({
  indent: 2, quotes: "double", semi: true, arrowParens: true, braceStyle: "1tbs", commaDangle: "only-multiline", jsx: false,
  quoteProps: "as-needed",
});

const rules = {
  ...style.rules,
  "@stylistic/max-len": ["error", {code: 160, ignoreStrings: true, ignoreTemplateLiterals: true, ignoreComments: false}],
  "@stylistic/object-curly-spacing": ["error", "never"],
  "@stylistic/multiline-ternary": "off",
  "@stylistic/no-multi-spaces": ["error", {ignoreEOLComments: true}],
  "@stylistic/max-statements-per-line": ["error", {max: 3}],
  "array-callback-return": "error",
  curly: ["error", "multi-line", "consistent"],
  "default-case-last": "error",
  eqeqeq: "error",
  "max-lines": ["error", {max: 300}],
  "no-alert": "error",
  "no-constant-condition": "error",
  "no-dupe-keys": "error",
  "no-duplicate-case": "error",
  "no-else-return": "error",
  "no-empty": "error",
  "no-eval": "error",
  "no-fallthrough": "error",
  "no-implied-eval": "error",
  "no-new-func": "error",
  "no-param-reassign": "off",
  "no-redeclare": "error",
  "no-self-assign": "error",
  "no-shadow-restricted-names": "error",
  "no-throw-literal": "error",
  "no-undef-init": "off",
  "no-unreachable": "error",
  "no-unused-expressions": "error",
  "no-unused-vars": ["error", {argsIgnorePattern: "^_"}],
  "no-use-before-define": ["error", {functions: false, variables: false}],
  "no-useless-return": "error",
  "no-var": "error",
  "object-shorthand": "error",
  "prefer-const": ["error", {destructuring: "all"}],
  "prefer-template": "off",
  strict: "off",
};

export default [
  {ignores: [".venv/", "node_modules/", "build/", "dist/", "mcts_viz/web/vendor/", "test-results/"]},
  {files: ["**/*.js"], plugins: {"@stylistic": stylistic}, rules},
  {files: ["mcts_viz/**/*.js"], languageOptions: {sourceType: "script", parserOptions: {ecmaFeatures: {impliedStrict: true}}}},
];
