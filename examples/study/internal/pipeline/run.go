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

// runFn makes the runs. A run that fails has a result like any other.
type runFn struct {
	Job Job

	study *spec.Study
	cells []spec.Cell
	store *store.Store
}

// Setup prepares an instance. It is called once for each.
func (f *runFn) Setup(ctx context.Context) (err error) {
	if f.study, err = f.Job.study(); err != nil {
		return err
	}
	f.cells = f.study.Cells()
	f.store, err = store.Open(ctx, f.Job.Out)
	return err
}

// ProcessElement makes the runs of a batch, each when it is its turn. It emits their results in the order of
// the batch.
func (f *runFn) ProcessElement(ctx context.Context, b batch, emit func(int, []byte)) error {
	results, errs := make([][]byte, len(b.Runs)), make([]error, len(b.Runs))
	var all sync.WaitGroup
	for i, one := range b.Runs {
		all.Go(func() { results[i], errs[i] = f.result(ctx, one) })
	}
	all.Wait()

	for i, one := range b.Runs {
		if errs[i] != nil {
			return errs[i]
		}
		emit(one.Cell, results[i])
	}
	return nil
}

// result makes one run, or reads its result from the store.
func (f *runFn) result(ctx context.Context, one run) ([]byte, error) {
	if one.Cell < 0 || one.Cell >= len(f.cells) {
		return nil, fmt.Errorf("cell %d of %d", one.Cell, len(f.cells))
	}
	cell := f.cells[one.Cell]
	key, err := store.Key(f.study, cell, one.Seed)
	if err != nil {
		return nil, err
	}

	if found := f.store.Load(ctx, key, cell, one.Seed); found != nil {
		progress.Found()
		return json.Marshal(found)
	}
	r, err := f.simulate(ctx, cell, one.Seed)
	if err != nil {
		return nil, err
	}
	if err := f.store.Save(ctx, key, r); err != nil {
		return nil, err
	}
	progress.Ran(r.Error != "", r.Seconds)
	return json.Marshal(r)
}

// turns bounds the number of runs that this process makes at the same time. Runners work on more elements at
// the same time than there are cores, and simulations need memory. The first study of a process sets the bound.
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

// Teardown closes the store. It is called once at the end.
func (f *runFn) Teardown() error {
	if f.store == nil {
		return nil
	}
	return f.store.Close()
}
