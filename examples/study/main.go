// Command study runs thousands of simulations, on one machine or many, and says with which confidence they
// differ.
//
//	go run .                                  a small study of the simulator's sample
//	go run . -study studies/exact.yaml        another one
//	go run . -study FILE -dry-run             how many runs, and how long they would take
//	go run . -study FILE --runner=universal --endpoint=HOST:PORT    on a job server
//
// A study is a file; package spec describes it. Its results are written into a folder
// (-out; by default results/NAME): a file for every run as soon as it ends, and at the end tables (table.md,
// figures.csv, waits.csv, failures.csv, study.json) and a picture for each metric. An interrupted study
// continues from the runs that exist. The same study gives the same tables, with any number of workers and in
// any order.
//
// The exit status is 0, 1 if runs failed or the study was interrupted, and 2 for input
// that cannot be used.
//
// Other programs can add policies: see package run.
package main

import "github.com/outrank-go/outrank/examples/study/run"

func main() { run.Main() }
