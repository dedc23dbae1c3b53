// Package chart answers what a simulated run looked like over time: how much of the
// cluster was in use, how many pods waited, and how many were evicted. It draws all of
// it as one SVG picture, with nothing but the standard library. Priorities are told
// apart by colours and by patterns, and the picture is light or dark as the viewer
// asks for.
//
// A run may have millions of changes, a picture has some hundred columns. So a
// [Recorder] keeps means over stretches of time, which it makes longer as the run
// goes on; its memory does not depend on the length of the run:
//
//	r := chart.NewRecorder("cpu", "memory")
//	err := r.Add(chart.Sample{Time: 3 * time.Second, Levels: levels, Waiting: waiting, Evicted: evicted})
//	...
//	err = chart.Write(file, chart.Caption{Title: "what the chart shows"}, r.Series(end))
//
// The same samples give the same bytes.
package chart
