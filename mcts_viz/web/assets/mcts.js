/* The one global name of the page's scripts, in which the page's HTML has put what they share with Python. Every other
   script adds one part to it. While it is read it may use the parts that stand before it in web/scripts.py; the others
   only when the page runs. */
var mcts = mcts || {}; // eslint-disable-line no-var, no-use-before-define
