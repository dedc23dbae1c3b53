// Package chart answers what a simulated run looked like: how much of the
// cluster was in use, and how many pods waited, over time. It draws both as one
// SVG picture, with nothing but the standard library.
//
// A run may have millions of changes, a picture has some hundred columns. So a
// [Recorder] keeps means over stretches of time, which it makes longer as the run
// goes on; its memory does not depend on the length of the run:
//
//	r := chart.NewRecorder("cpu", "memory")
//	err := r.Add(chart.Sample{Time: 3 * time.Second, Levels: levels, Waiting: waiting})
//	...
//	err = chart.Write(file, "what the chart shows", r.Series(end))
//
// Same samples, same bytes.
package chart
