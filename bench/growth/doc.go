// Package growth measures how the cost of each exported function that takes a list
// grows with the list, on hostile inputs. Its benchmarks run at three sizes;
// bench/report writes the slowest into RESULTS.md.
package growth
