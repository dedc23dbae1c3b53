// Package chart answers what a simulated run looked like over time: how much of the cluster was in use, how
// many pods waited, and how many were evicted. It draws all of it as one SVG picture, with the standard
// library alone. Colours and patterns tell priorities apart, and the picture is light or dark as the viewer
// prefers.
//
// A run may have millions of changes, but a picture has only some hundred columns. So a [Recorder] keeps
// means over stretches of time, which become longer as the run goes on. Its memory does not depend on the
// length of the run:
//
//	r := chart.NewRecorder("cpu", "memory")
//	err := r.Add(chart.Sample{Time: 3 * time.Second, Levels: levels, Waiting: waiting, Evicted: evicted})
//	...
//	err = chart.Write(file, chart.Caption{Title: "what the chart shows"}, r.Series(end))
//
// The same samples give the same bytes.
package chart
