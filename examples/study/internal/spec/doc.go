// Package spec answers which runs a study has: it reads a study's file, names
// everything that is wrong with it, and expands its grid into cells. A cell is a trace with
// one value for every axis.
//
// # The file
//
// A study is an object in YAML or JSON:
//
//	name:       what the study is called; required
//	about:      the question, in words
//	traces:     at least one, each with a name of its own and one of
//	            sample: true           the simulator's own sample
//	            nodes:, pods:          two CSV files in the form of the openb traces
//	            dump:                  what kubectl get ... -o json prints
//	            generate:              a generated cluster (see [Generate])
//	            and, for CSV files, podsPerNode (110 if it is not given) and every: n, which
//	            takes every n-th node and pod of the files; for files of any kind source,
//	            which says where one gets them
//	grid:       axes by name, each with a list of values; an axis that is left out has
//	            one value, its default (see [Axes])
//	seeds:      {first: 1, count: 30}; every cell runs once with each
//	compare:    the axis by which cells are compared with the first of its values, on
//	            equal seeds; "policy" if it is not given
//	confidence: of the intervals, 0.95 if it is not given
//	metrics:    the metrics that the Markdown table and the pictures show, by name; a few if
//	            it is not given. The other tables have all metrics
//
// Paths are relative to the folder of the study's file, or to another folder in which the caller
// has the traces. A dump has its own pods and budgets: the axes classes, load,
// timeScale, static, budgets and gpus are not for it.
package spec
