// Package pipeline answers how the runs of a study are made: as transforms of Apache Beam, so
// that the same program runs on one machine and on many.
//
//	expand   the study becomes one run for every cell and seed, in batches
//	run      each run is simulated, or read from the store if it was made before
//	sum up   the runs of each cell are combined, in any order
//	write    all cells together become tables and pictures
//
// A worker holds the last two traces in memory, a simulation for each run that it makes at a
// time ([Job].AtOnce), and for each cell its figures (some 60 numbers a run) and sketches of
// waits. The last step holds the figures of all cells.
package pipeline

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/outrank-go/outrank/examples/study/internal/spec"
)

func init() {
	register.DoFn3x1[context.Context, []byte, func(batch), error](&expandFn{})
	register.DoFn3x1[context.Context, batch, func(int, []byte), error](&runFn{})
	register.Combiner3[accumulator, []byte, []byte](&sumFn{})
	register.Function2x2(underOneKey)
	register.DoFn3x1[context.Context, int, func(*[]byte) bool, error](&writeFn{})
	register.Emitter1[batch]()
	register.Emitter2[int, []byte]()
	register.Iter1[[]byte]()
	beam.RegisterType(reflect.TypeFor[batch]())
}

// run identifies a run to be made: the index of its cell, and its seed.
type run struct {
	Cell int
	Seed uint64
}

// batch has the runs that a worker gets as one element.
type batch struct{ Runs []run }

// elements is the number of elements that Prism gives a process at the same time.
const elements = 8

// Together returns how many runs an element must have for a process to make atOnce runs at the same time,
// although Prism gives it at most eight elements.
func Together(atOnce int) int { return max(1, (atOnce+elements-1)/elements) }

// Job is the input of the transforms.
type Job struct {
	// Study is the study as JSON, and Out the folder for results and tables.
	Study []byte
	Out   string
	// AtOnce is the number of runs that a worker's process makes at the same time. 0 means as many as it may
	// use cores.
	AtOnce int
	// Together is the number of runs that a worker gets as one element. It makes them concurrently as far as
	// AtOnce allows. 0 means one. See the function Together.
	Together int
	// Part says which of Parts parts of the runs is made, counted from 1. A part makes no tables. If Parts is
	// 0, all runs are made.
	Part, Parts int
}

// New returns a job that makes all runs.
func New(study *spec.Study, out string) (Job, error) {
	text, err := json.Marshal(study)
	return Job{Study: text, Out: out}, err
}

// Runs returns the number of a study's runs that the job makes.
func (j *Job) Runs(study *spec.Study) int {
	all := study.Runs()
	if j.Parts == 0 {
		return all
	}

	// Runs are dealt out in turn. If they do not divide evenly, the first parts get one more.
	return (all + j.Parts - j.Part) / j.Parts
}

// has reports whether the job makes a run. Runs are dealt out to the parts in turn.
func (j *Job) has(run int) bool { return j.Parts == 0 || run%j.Parts == j.Part-1 }

// study reads the job's study.
func (j *Job) study() (*spec.Study, error) {
	var s spec.Study
	return &s, json.Unmarshal(j.Study, &s)
}

// Build adds the transforms to a pipeline.
func Build(s beam.Scope, job Job) {
	s = s.Scope("study")
	elements := beam.Reshuffle(s, beam.ParDo(s.Scope("expand"), &expandFn{Job: job}, beam.Impulse(s)))
	results := beam.ParDo(s.Scope("run"), &runFn{Job: job}, elements)
	if job.Parts > 0 {
		return // a part only adds results to the store
	}
	sums := beam.CombinePerKey(s.Scope("sum up"), &sumFn{}, results)
	all := beam.GroupByKey(s, beam.ParDo(s, underOneKey, sums))
	beam.ParDo0(s.Scope("write"), &writeFn{Job: job}, all)
}

// underOneKey gives all cells the same key, so that they end up in one place.
func underOneKey(_ int, sum []byte) (int, []byte) { return 0, sum }

// expandFn makes the batches.
type expandFn struct{ Job Job }

// ProcessElement emits the batches. It is called once.
func (f *expandFn) ProcessElement(_ context.Context, _ []byte, emit func(batch)) error {
	study, err := f.Job.study()
	if err != nil {
		return err
	}
	var b batch
	for cell := range study.Cells() {
		for i := range study.Seeds.Count {
			if f.Job.has(cell*study.Seeds.Count + i) {
				b.Runs = append(b.Runs, run{cell, study.Seeds.First + uint64(i)})
			}
			if len(b.Runs) >= f.Job.Together {
				emit(b)
				b = batch{}
			}
		}
	}
	if len(b.Runs) > 0 {
		emit(b)
	}
	return nil
}
