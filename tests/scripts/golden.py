"""Small random checkpoints and what the reference implementation computes from them.

    pip install torch transformers tokenizers safetensors numpy
    python tests/scripts/golden.py tests/golden

For each architecture it writes a folder as published models have it (config.json, safetensors with the published names,
tokenizer.json where there is one) and beside them `expected.safetensors`: the words that were read and the numbers that
`transformers` computes from them in f32. The folders are committed, so that the tests need neither Python nor a network.
"""

import json
import sys
from pathlib import Path

import tokenizers
import torch
import transformers
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

TEXT = [
    "The cat sat on the mat, and the dog sat on the log.",
    "Named axes say what each number means; naïve façades, crème brûlée, 你好, привет, 🦀🦀.",
    "attention is all you need, and all that you need is attention",
]
SENTENCES = ["the cat sat on the mat", "a dog", "the dog sat on the log , and the cat sat on the dog", "mat"]


def shaken(model, seed):
    """Numbers unlike those that any part starts with: gains are not 1, biases not 0."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            spread = torch.randn(parameter.shape, generator=generator)
            if parameter.ndim == 1:
                parameter.copy_(parameter + 0.1 * spread)
            else:
                parameter.copy_(spread / parameter.shape[-1] ** 0.5)
    return model.eval()


def causal(folder, model, ids, dtype, **saving):
    """Saves a causal model in this precision, and its logits for the words `ids` from the saved numbers in f32."""
    model = model.to(dtype)
    model.save_pretrained(folder, **saving)
    # Read anew: `to` has rounded the angles of rotary positions too, which no file holds.
    model = type(model).from_pretrained(folder, dtype=torch.float32).eval()
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0]
    expected = {"ids": torch.tensor(ids), "logits": logits.contiguous()}
    save_file(expected, folder / "expected.safetensors")


def gpt2(out):
    config = transformers.GPT2Config(
        vocab_size=300, n_positions=40, n_embd=24, n_layer=2, n_head=3, bos_token_id=0, eos_token_id=0
    )
    ids = [7, 290, 3, 3, 120, 45, 299, 0, 18, 77, 5]
    for name, dtype in [("gpt2", torch.float32), ("gpt2-f16", torch.float16)]:
        folder = out / name
        torch.manual_seed(0)
        causal(folder, shaken(transformers.GPT2LMHeadModel(config), 1), ids, dtype)
    byte_level(out / "gpt2" / "tokenizer.json")


def byte_level(path):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=300, special_tokens=["<|endoftext|>"], initial_alphabet=alphabet)
    tokenizer.train_from_iterator(TEXT, trainer)
    tokenizer.save(str(path))


def llama(out):
    config = transformers.LlamaConfig(
        vocab_size=64, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=40, rms_norm_eps=1e-5, rope_theta=10000.0,
        tie_word_embeddings=False, bos_token_id=1, eos_token_id=2,
    )
    ids = [1, 17, 63, 17, 4, 0, 33, 50, 2, 9, 9, 28]
    build = lambda config: shaken(transformers.LlamaForCausalLM(config), 2)
    causal(out / "llama", build(config), ids, torch.float32)
    causal(out / "llama-bf16-sharded", build(config), ids, torch.bfloat16, max_shard_size="20KB")
    config = transformers.LlamaConfig(**{**config.to_dict(), "tie_word_embeddings": True, "num_key_value_heads": 1})
    causal(out / "llama-tied", build(config), ids, torch.float32)


def bert(out):
    folder = out / "bert"
    words = sorted({word for text in SENTENCES for word in text.split()} - {"mat"})
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "m", "##at", *words]
    vocabulary = {word: number for number, word in enumerate(vocabulary)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    tokenizer.decoder = decoders.WordPiece()
    config = transformers.BertConfig(
        vocab_size=len(vocabulary), hidden_size=24, num_hidden_layers=2, num_attention_heads=3, intermediate_size=40,
        max_position_embeddings=20, type_vocab_size=2,
    )
    model = shaken(transformers.BertModel(config), 3)
    model.save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    embeddings = []
    for sentence in SENTENCES:
        ids = torch.tensor([tokenizer.encode(sentence).ids])
        with torch.no_grad():
            states = model(ids).last_hidden_state[0]
        embeddings.append(torch.nn.functional.normalize(states.mean(0), dim=0))
    save_file({"embeddings": torch.stack(embeddings)}, folder / "expected.safetensors")
    (folder / "sentences.txt").write_text("\n".join(SENTENCES) + "\n")


def main():
    out = Path(sys.argv[1])
    for build in [gpt2, llama, bert]:
        build(out)
    versions = {m.__name__: m.__version__.split("+")[0] for m in (torch, transformers, tokenizers)}
    (out / "versions.json").write_text(json.dumps(versions, indent=2) + "\n")
    for path in out.rglob("generation_config.json"):
        path.unlink()


main()
