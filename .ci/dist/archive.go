package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"
)

// packed is a file in an archive.
type packed struct {
	text []byte
	mode fs.FileMode
}

// pack makes an archive: a zip if its name ends so, otherwise a compressed tar. All files have the same time and
// owner, and they are in the order of their names. So the same files make the same bytes.
func pack(name string, files map[string]packed, at time.Time) ([]byte, error) {
	names := slices.Sorted(maps.Keys(files))
	if strings.HasSuffix(name, ".zip") {
		return zipped(names, files, at)
	}

	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)

	for _, name := range names {
		f := files[name]
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: name, Size: int64(len(f.text)), Mode: int64(f.mode.Perm()),
			ModTime: at.UTC(), Uname: "root", Gname: "root", Format: tar.FormatUSTAR,
		}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
	}

	if err := errors.Join(w.Close(), z.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func zipped(names []string, files map[string]packed, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range names {
		header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: at.UTC()}
		header.SetMode(files[name].mode)
		f, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(files[name].text); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
