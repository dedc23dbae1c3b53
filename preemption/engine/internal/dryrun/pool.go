package dryrun

import (
	"context"

	"github.com/outrank-go/outrank/internal/work"
)

// ChunkSize is the number of nodes that a worker takes at a time. The context is checked at least once for
// each chunk.
const ChunkSize = 64

// InChunks calls visit for all chunks of the positions below n, by this many
// workers, and waits for all of them. The first worker is the caller's
// goroutine. InChunks stops early with the context's error. If a visit panics, so does
// InChunks, in the caller's goroutine and with the same value. Which worker visits which
// chunk is not determined, so that visit must record what it finds by position.
func InChunks(ctx context.Context, workers, n, chunk int, visit func(worker, from, to int)) error {
	return work.Chunks(ctx, workers, n, chunk, visit)
}
