package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/outrank-go/outrank/examples/study/internal/spec"
)

// Digest records the contents of the traces' files in a study. Every file that cannot be read is an error,
// which names the file's source if the study does.
func Digest(ctx context.Context, study *spec.Study) error {
	var errs []error
	for i := range study.Traces {
		t := &study.Traces[i]

		h, any := sha256.New(), false
		for _, path := range []string{t.Nodes, t.Pods, t.Dump} {
			if path == "" {
				continue
			}
			any = true
			if err := digestFile(ctx, path, h); err != nil {
				errs = append(errs, fmt.Errorf("trace %s: %w%s", t.Name, err, hint(t)))
			}
		}
		if any {
			t.Digest = hex.EncodeToString(h.Sum(nil)[:16])
		}
	}
	return errors.Join(errs...)
}

// hint says where to get a trace's files, if the study names their source.
func hint(t *spec.Trace) string {
	if t.Source == "" {
		return ""
	}
	return "; its files are from " + t.Source + ", and -data names the folder that they are in"
}

// digestFile adds a file and its length. The length distinguishes two files from one with the contents of both.
func digestFile(ctx context.Context, path string, into io.Writer) error {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return err
	}
	defer fs.Close()
	f, err := fs.OpenRead(ctx, path)
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := io.Copy(into, f)
	fmt.Fprintf(into, "|%d|", n)
	return err
}
