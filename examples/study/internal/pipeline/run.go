package pipeline

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"sync"

	"github.com/outrank-go/outrank/examples/study/internal/measure"
	"github.com/outrank-go/outrank/examples/study/internal/progress"
	"github.com/outrank-go/outrank/examples/study/internal/spec"
	"github.com/outrank-go/outrank/examples/study/internal/store"
)

// runFn makes the runs. A run that fails is a result like another.
type runFn struct {
	Job Job

	study *spec.Study
	cells []spec.Cell
	store *store.Store
}

// Setup is called once for each instance.
func (f *runFn) Setup(ctx context.Context) (err error) {
	if f.study, err = f.Job.study(); err != nil {
		return err
	}
	f.cells = f.study.Cells()
	f.store, err = store.Open(ctx, f.Job.Out)
	return err
}

// ProcessElement makes one run, or finds what it gave.
func (f *runFn) ProcessElement(ctx context.Context, e element, emit func(int, []byte)) error {
	if e.Cell < 0 || e.Cell >= len(f.cells) {
		return fmt.Errorf("cell %d of %d", e.Cell, len(f.cells))
	}
	cell := f.cells[e.Cell]
	key, err := store.Key(f.study, cell, e.Seed)
	if err != nil {
		return err
	}
	r := f.store.Load(ctx, key, cell, e.Seed)
	if found := r != nil; !found {
		if r, err = f.simulate(ctx, cell, e.Seed); err != nil {
			return err
		}
		if err := f.store.Save(ctx, key, r); err != nil {
			return err
		}
		progress.Ran(r.Error != "", r.Seconds)
	} else {
		progress.Found()
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	emit(e.Cell, text)
	return nil
}

// turns is how many more runs may begin in this process. Runners work on more elements at
// a time than there are cores, and simulations take memory. The first study of a process
// says how many.
var turns struct {
	sync.Once
	free chan struct{}
}

// simulate makes a run when it is its turn.
func (f *runFn) simulate(ctx context.Context, cell spec.Cell, seed uint64) (*measure.Result, error) {
	turns.Do(func() { turns.free = make(chan struct{}, cmp.Or(f.Job.AtOnce, runtime.GOMAXPROCS(0))) })
	select {
	case turns.free <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-turns.free }()
	return measure.Run(ctx, f.study, cell, seed)
}

// Teardown is called in the end.
func (f *runFn) Teardown() error {
	if f.store == nil {
		return nil
	}
	return f.store.Close()
}
