package input

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/encoding/unicode"
)

// Stdin is the file name that stands for standard input.
const Stdin = "-"

// extensions are the endings of files that are read from a folder. They may be followed by ".gz".
var extensions = []string{".json", ".yaml", ".yml"}

// Expand replaces folders by their files that end in .json, .yaml or .yml, gzipped or not, sorted by name. With
// recursive it includes the folders below. A name given twice, and a folder without such files, are errors.
func Expand(names []string, recursive bool) ([]string, error) {
	var out []string
	named := map[string]bool{}
	for _, name := range names {
		files, err := filesOf(name, recursive)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if named[file] {
				return nil, fmt.Errorf("%s is named twice", Called(file))
			}
			named[file] = true
			out = append(out, file)
		}
	}
	return out, nil
}

// Called returns the name of a file for messages.
func Called(name string) string {
	if name == Stdin {
		return "standard input"
	}
	return name
}

// filesOf returns the files that a name stands for.
func filesOf(name string, recursive bool) ([]string, error) {
	if name == Stdin {
		return []string{name}, nil
	}
	info, err := Stat(name)
	if err != nil {
		return nil, opening(err)
	}
	if !info.IsDir() {
		return []string{name}, nil
	}

	var files []string
	err = walk(name, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		// The folder itself is read in any case.
		case d.IsDir() && path != name && !recursive:
			return filepath.SkipDir
		case !d.IsDir() && slices.Contains(extensions, filepath.Ext(strings.TrimSuffix(path, ".gz"))):
			files = append(files, path)
		}
		return nil
	})

	if err == nil && len(files) == 0 {
		err = fmt.Errorf("folder %s holds no file ending in %s", name, strings.Join(extensions, ", "))
	}
	return files, err
}

// opening rewrites an error of stat as an error of open, which people recognise.
func opening(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) && at.Op == "stat" {
		at.Op = "open"
	}
	return err
}

// Open opens a file, or standard input for the name "-". The size is 0 if it is not known.
func Open(name string, stdin io.Reader) (r io.Reader, size int64, done func() error, err error) {
	if name == Stdin {
		f, _ := stdin.(*os.File)
		return stdin, sizeOf(f), func() error { return nil }, nil
	}
	f, err := OpenFile(name)
	if err != nil {
		return nil, 0, nil, err
	}
	return f, sizeOf(f), f.Close, nil
}

// sizeOf returns the size of a regular file, and 0 for anything else, such as a pipe.
func sizeOf(f *os.File) int64 {
	if f == nil {
		return 0
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		return info.Size()
	}
	return 0
}

// plain returns the text of r in UTF-8, without a byte order mark. The first bytes tell whether a file is
// gzipped or in UTF-16, instead of its name, so that a dump may come through a pipe. Text that is plain already
// is not copied.
func plain(r io.Reader) (*bufio.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<18)
	head, err := b.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}

	// Every gzipped file begins with these bytes.
	if bytes.Equal(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		b = bufio.NewReaderSize(z, 1<<18)
	}
	return inUTF8(b), nil
}

// byteOrderMark may begin a text in UTF-8.
var byteOrderMark = []byte("\xef\xbb\xbf")

// inUTF8 drops a byte order mark and converts UTF-16, as PowerShell's > writes it, to UTF-8. UTF-16 without a
// mark is recognised by its first character: all input begins with an ASCII character, so that one of its two
// bytes is 0. The reader of the text meets an error of b again.
func inUTF8(b *bufio.Reader) *bufio.Reader {
	head, _ := b.Peek(len(byteOrderMark))
	if bytes.Equal(head, byteOrderMark) {
		_, _ = b.Discard(len(byteOrderMark))
		return b
	}
	if len(head) < 2 {
		return b
	}

	var order unicode.Endianness
	switch {
	case head[0] == 0xff && head[1] == 0xfe, head[0] != 0 && head[1] == 0:
		order = unicode.LittleEndian
	case head[0] == 0xfe && head[1] == 0xff, head[0] == 0 && head[1] != 0:
		order = unicode.BigEndian
	default:
		return b
	}
	return bufio.NewReaderSize(unicode.UTF16(order, unicode.UseBOM).NewDecoder().Reader(b), 1<<18)
}

// JSON returns the content of r as JSON documents. It passes JSON on unchanged, at no cost, and converts YAML
// while it is read. Both may be gzipped, in UTF-16, or begin with a byte order mark.
func JSON(r io.Reader) (io.Reader, error) {
	text, err := plain(r)
	if err != nil {
		return nil, err
	}
	if isYAML(text) {
		return newYAML(text), nil
	}
	return text, nil
}
