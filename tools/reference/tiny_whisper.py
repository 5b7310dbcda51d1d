"""Seeded random Whisper models that are small, lively and the same in transformers and openai-whisper.

All numbers are representable in float16, so f16 and f32 files hold the same model.
Random weights alone give flat or stuck outputs; the gains below make the decoder look at the audio,
mix text with timestamps and reach <|endoftext|>.
"""
import dataclasses

import torch
import whisper.model
from transformers import GenerationConfig, WhisperConfig, WhisperForConditionalGeneration

from reduced_vocabulary import ReducedVocabulary


@dataclasses.dataclass
class Spec:
    """Shape and gains of one tiny model."""
    name: str
    seed: int
    multilingual: bool = True
    num_languages: int = 99
    num_mels: int = 80
    d_model: int = 64
    num_heads: int = 2
    encoder_layers: int = 2
    decoder_layers: int = 2
    num_ranks: int = 560
    embedding_std: float = 0.45
    position_std: float = 2.0      # larger than the embeddings, or the tied head repeats its input
    cross_gain: float = 2.0        # of the attention to the audio
    mix_gain: float = 2.5          # of the decoder's feed-forward: scrambles position, text and audio
    timestamp_scale: float = 0.5   # of the timestamps' embedding rows
    timestamp_lift: float = -1.0   # added to every timestamp logit, on average
    timestamp_slope: float = 10.0  # logit of 0.00 above that of 30.00, on average
    eot_lift: float = 7.0          # added to the end-of-text logit, on average
    no_speech_lift: float = 12.0   # changes nothing but no_speech_prob: that id is always suppressed
    special_lift: float = -10.0    # of languages and notimestamps, which no filter always suppresses

    @property
    def ffn(self):
        return 4 * self.d_model


def vocabulary_of(spec):
    return ReducedVocabulary(spec.multilingual, spec.num_ranks, spec.num_languages)


def make_hf_model(spec, vocabulary):
    """WhisperForConditionalGeneration in float32 with a filled generation_config."""
    ids = vocabulary.special_ids
    eot, sot = ids['<|endoftext|>'], ids['<|startoftranscript|>']
    config = WhisperConfig(
        vocab_size=vocabulary.size, num_mel_bins=spec.num_mels, d_model=spec.d_model,
        encoder_layers=spec.encoder_layers, decoder_layers=spec.decoder_layers,
        encoder_attention_heads=spec.num_heads, decoder_attention_heads=spec.num_heads,
        encoder_ffn_dim=spec.ffn, decoder_ffn_dim=spec.ffn, max_source_positions=1500, max_target_positions=448,
        dropout=0.0, activation_function='gelu', pad_token_id=eot, bos_token_id=eot, eos_token_id=eot,
        decoder_start_token_id=sot, attn_implementation='eager')
    model = WhisperForConditionalGeneration(config).eval()
    fill(model, spec, vocabulary)
    model.generation_config = generation_config(spec, vocabulary)
    return model


def fill(model, spec, vocabulary):
    g = torch.Generator().manual_seed(spec.seed)
    ids = vocabulary.special_ids
    for name, p in model.named_parameters():
        r = torch.randn(p.shape, generator=g)
        if 'layer_norm' in name:
            p.copy_(1 + 0.2 * r if name.endswith('weight') else 0.1 * r)
        elif 'embed_positions' in name:
            p.copy_(spec.position_std * r)
        elif 'embed_tokens' in name:
            p.copy_(spec.embedding_std * r)
        elif p.dim() == 1:
            p.copy_(0.1 * r)
        else:
            gain = 1.3
            if 'encoder_attn.q_proj' in name or 'encoder_attn.k_proj' in name:
                gain = 2.0          # peaked, so that the output follows the audio
            elif 'encoder_attn.out_proj' in name:
                gain = spec.cross_gain
            elif 'decoder' in name and 'fc' in name:
                gain = spec.mix_gain
            p.copy_(gain * r * p[0].numel() ** -0.5)
    model.model.encoder.embed_positions.weight.copy_(whisper.model.sinusoids(1500, spec.d_model))
    # The final norm's bias adds (bias . row) to each logit: steer rows along it.
    bias = 0.4 * torch.randn(spec.d_model, generator=g)
    model.model.decoder.layer_norm.bias.copy_(bias)
    along = bias / bias.dot(bias)
    rows = model.model.decoder.embed_tokens.weight.data
    rows -= (rows @ bias)[:, None] * along
    first = ids['<|0.00|>']
    lift = spec.timestamp_lift + spec.timestamp_slope * (0.5 - torch.arange(1501) / 1500)
    rows[first:] = rows[first:] * spec.timestamp_scale
    rows[first:] += lift[:, None] * along
    lifts = {'<|endoftext|>': spec.eot_lift, '<|nospeech|>': spec.no_speech_lift,
             **{name: spec.special_lift for name in vocabulary.specials[2:2 + spec.num_languages]},
             '<|notimestamps|>': spec.special_lift}
    for name, value in lifts.items():
        rows[ids[name]] += value * along
    for p in model.parameters():
        p.copy_(p.half().float())
    model.tie_weights()


def generation_config(spec, vocabulary):
    ids, tokenizer = vocabulary.special_ids, vocabulary.tokenizer()
    eot, sot = ids['<|endoftext|>'], ids['<|startoftranscript|>']
    suppressed = sorted(set(tokenizer.non_speech_tokens) | {
        tokenizer.transcribe, tokenizer.translate, tokenizer.sot, tokenizer.sot_prev, tokenizer.sot_lm,
        tokenizer.no_speech})
    config = GenerationConfig(
        max_length=448, pad_token_id=eot, bos_token_id=eot, eos_token_id=eot, decoder_start_token_id=sot,
        suppress_tokens=suppressed, begin_suppress_tokens=tokenizer.encode(' ') + [eot], return_timestamps=False)
    config.is_multilingual = spec.multilingual
    config.no_timestamps_token_id = tokenizer.no_timestamps
    config.prev_sot_token_id = tokenizer.sot_prev
    config.max_initial_timestamp_index = 50
    config.alignment_heads = alignment_heads(spec)
    if spec.multilingual:
        config.lang_to_id = {n: ids[n] for n in vocabulary.specials[2:2 + spec.num_languages]}
        config.task_to_id = {'transcribe': tokenizer.transcribe, 'translate': tokenizer.translate}
    return config


def alignment_heads(spec):
    """A few (layer, head) pairs of the upper half, not all, so that the list matters."""
    pairs = [[layer, head] for layer in range(spec.decoder_layers // 2, spec.decoder_layers)
             for head in range(spec.num_heads)]
    return pairs[-max(1, len(pairs) - 1):]


class TinyOpenAI(whisper.model.Whisper):
    """openai-whisper's model; the language count comes from the spec, not from the vocabulary size."""
    spec = None
    is_multilingual = property(lambda self: self.spec.multilingual)
    num_languages = property(lambda self: self.spec.num_languages)


RENAMES = [('model.', ''), ('layers', 'blocks'), ('fc1', 'mlp.0'), ('fc2', 'mlp.2'),
           ('encoder_attn_layer_norm', 'cross_attn_ln'), ('self_attn_layer_norm', 'attn_ln'),
           ('final_layer_norm', 'mlp_ln'), ('encoder_attn', 'cross_attn'), ('self_attn', 'attn'),
           ('q_proj', 'query'), ('k_proj', 'key'), ('v_proj', 'value'), ('out_proj', 'out'),
           ('embed_tokens', 'token_embedding'), ('embed_positions.weight', 'positional_embedding'),
           ('encoder.layer_norm', 'encoder.ln_post'), ('decoder.layer_norm', 'decoder.ln')]


def make_openai_model(spec, hf_model):
    """The same weights in openai-whisper's module."""
    c = hf_model.config
    dims = whisper.model.ModelDimensions(
        c.num_mel_bins, 1500, c.d_model, c.encoder_attention_heads, c.encoder_layers, c.vocab_size, 448, c.d_model,
        c.decoder_attention_heads, c.decoder_layers)
    state = {}
    for name, value in hf_model.state_dict().items():
        if name == 'proj_out.weight':
            continue
        for old, new in RENAMES:
            name = name.replace(old, new)
        state[name] = value.clone()
    model = TinyOpenAI(dims)
    model.spec = spec
    missing, extra = model.load_state_dict(state, strict=False)
    assert not extra and not [m for m in missing if 'mask' not in m and 'alignment' not in m], (missing, extra)
    mask = torch.zeros(c.decoder_layers, c.decoder_attention_heads, dtype=torch.bool)
    for layer, head in alignment_heads(spec):
        mask[layer, head] = True
    model.register_buffer('alignment_heads', mask.to_sparse(), persistent=False)
    return model.eval()
